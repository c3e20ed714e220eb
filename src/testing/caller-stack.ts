/** Errors whose stacks lead to the line of the test: inside the server, the asynchronous stack of the runtime ends. */

/** Captures the line that called `callee`; the result appends it to the stack of an error. */
export function captureCaller(callee: (...args: never[]) => unknown): (error: unknown) => unknown {
  const site = { stack: '' };
  Error.captureStackTrace(site, callee);
  const frames = site.stack.split('\n').slice(1);
  return (error) => {
    if (error instanceof Error && frames[0] !== undefined && !error.stack?.includes(frames[0]))
      error.stack = [error.stack, ...frames].join('\n');
    return error;
  };
}

/** The same function, whose errors have the line of its caller in their stacks. */
export function withCaller<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return function called(...args) {
    const addCaller = captureCaller(called);
    return work(...args).catch((error: unknown) => {
      throw addCaller(error);
    });
  };
}
