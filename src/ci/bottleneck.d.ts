/** Bottleneck without its clusters, whose types are those of the whole. */
declare module 'bottleneck/light.js' {
  import Bottleneck from 'bottleneck'
  export default Bottleneck
}
