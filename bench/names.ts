/** What the groups of a made store are called, so that the driver can ask for them. All of one length: so are answers. */

export function groupIdOf(number: number): string {
  return number.toString(16).padStart(24, '0');
}

export function groupNameOf(number: number): string {
  return `group-${String(number).padStart(6, '0')}`;
}
