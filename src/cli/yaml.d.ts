/** A YAML file as text: the build puts it into the program. */
declare module '*.yaml' {
  const text: string
  export default text
}
