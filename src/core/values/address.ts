const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)
const IPV4_SUBNET = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}/(\\d|[12]\\d|3[0-2])$`)
const IPV6_SUBNET = /^(?=.*:.*:)[\da-f:.]{2,45}\/(?:\d|[1-9]\d|1[01]\d|12[0-8])$/i

export function isIpv4(text: string): boolean {
  return IPV4.test(text)
}

/** True for an IPv4 subnet in CIDR notation, or a string that looks like an IPv6 subnet. */
export function isSubnet(text: string): boolean {
  return IPV4_SUBNET.test(text) || IPV6_SUBNET.test(text)
}

/** True for a subnet with a prefix of /8 or shorter: `10.0.0.0/8`, `::/0`. */
export function isWideSubnet(subnet: string): boolean {
  return isSubnet(subnet) && Number(subnet.split('/')[1]) <= 8
}

export function subnetHolds(subnet: string, address: string): boolean {
  if (!isIpv4(address) || !IPV4_SUBNET.test(subnet)) return false
  const [base = '', length] = subnet.split('/')
  const size = 2 ** (32 - Number(length))
  return Math.floor(numberOf(base) / size) === Math.floor(numberOf(address) / size)
}

/** Subnets whose addresses do not cross the internet (RFC 6890). */
const INTERNAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3'
]

export function isPublicIpv4(text: string): boolean {
  return isIpv4(text) && !INTERNAL.some(subnet => subnetHolds(subnet, text))
}

export function isPublicAddress(text: string): boolean {
  return isPublicIpv4(text) || /^[23][\da-f]{3}:[\da-f:]+$/i.test(text)
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0)
}
