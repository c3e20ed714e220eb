/** The requests to the service that the console shows, but for the stream of its events and its own files. */
export interface Connection {
  readonly fetch: typeof fetch;
  /** From now on requests wait; one pause at a time. @returns a function that sends them */
  pause(): () => void;
}

export function createConnection(): Connection {
  let resumed: Promise<void> | undefined;
  return {
    async fetch(input, init) {
      await resumed;
      return await fetch(input, init);
    },
    pause() {
      let resume = () => {};
      resumed = new Promise((resolve) => {
        resume = resolve;
      });
      return resume;
    },
  };
}
