/** Refusing a list for what is wrong with those it names. */
import { type ApiErrorItem, IamError } from '../../contract/errors.ts';
import { forEachYielding } from '../for-each-yielding.ts';

const maxErrors = 100;

/** Looks at all of a list, and names the first hundred that are not as they should be. @throws IamError with a fault for each. */
export async function assertEach(
  ids: Iterable<string>,
  findError: (id: string) => Promise<ApiErrorItem | undefined>,
): Promise<void> {
  const errors: ApiErrorItem[] = [];
  await forEachYielding(ids, async (id) => {
    const error = errors.length < maxErrors ? await findError(id) : undefined;
    if (error) errors.push(error);
  });
  const [first, ...others] = errors;
  if (first) throw new IamError([first, ...others]);
}
