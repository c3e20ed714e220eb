/** Validates every item of a list. */
import { type ApiErrorItem, IamError } from '../../contract/errors.ts';
import { forEachYielding } from '../lib/event-loop-turns.ts';

const maxErrors = 100;

/** Checks every id of a list and reports the first 100 errors. @throws IamError with one item per invalid id. */
export async function assertEach(
  ids: Iterable<string>,
  findError: (id: string) => ApiErrorItem | undefined,
): Promise<void> {
  const errors: ApiErrorItem[] = [];
  await forEachYielding(ids, async (id) => {
    const error = errors.length < maxErrors ? findError(id) : undefined;
    if (error) errors.push(error);
  });
  throwAny(errors);
}

/** @throws IamError with the first 100 errors, if there are any */
export function throwAny(errors: readonly ApiErrorItem[]): void {
  const [first, ...others] = errors.slice(0, maxErrors);
  if (first) throw new IamError([first, ...others]);
}
