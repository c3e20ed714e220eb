/** The short form of an id, beside a name. */

const maxWholeLength = 14;

/** `01a21c…499f`. Ids that people chose are mostly short and stay whole. */
export function shortenId(id: string): string {
  return id.length <= maxWholeLength ? id : `${id.slice(0, 6)}…${id.slice(-4)}`;
}
