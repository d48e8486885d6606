/** The text of an HTML page, without its style and script: a line for each element that is not part of a sentence. */
export function pageText(page: string): string {
  return page
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, '')
    .replaceAll(/<\/?(?:a|b|code|del|ins|span|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll(/\n+/g, '\n')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}
