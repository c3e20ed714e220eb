/** The sequence numbers of audit events: of the server and its sandboxes, and on after a restart. */
export interface AuditSequence {
  /** The number of the next event. */
  readonly next: number;
  take(): number;
}

/** @param last the highest number that was used before */
export function createAuditSequence(last = 0): AuditSequence {
  let next = last + 1;
  return {
    get next() {
      return next;
    },
    take() {
      next += 1;
      return next - 1;
    },
  };
}
