/** A timer that a test advances. */
export function createManualTimer() {
  let due: (() => void)[] = [];
  return {
    after(_milliseconds: number, work: () => void) {
      due.push(work);
      return () => {
        due = due.filter((other) => other !== work);
      };
    },
    /** How many wait. */
    pending: () => due.length,
    pass() {
      for (const work of due.splice(0)) work();
    },
  };
}
