/** A YAML file as text, which the build includes in the program. */
declare module '*.yaml' {
  const text: string
  export default text
}
