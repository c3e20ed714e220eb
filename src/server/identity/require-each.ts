/** Refusing a list for what is wrong with those it names. */
import { type Fault, IamError } from '../../contract/errors.ts';
import { eachInTurns } from '../each-in-turns.ts';

const mostNamed = 100;

/** Looks at all of a list, and names the first hundred that are not as they should be. @throws IamError with a fault for each. */
export async function requireEach(
  ids: Iterable<string>,
  faultOf: (id: string) => Promise<Fault | undefined>,
): Promise<void> {
  const faults: Fault[] = [];
  await eachInTurns(ids, async (id) => {
    const found = faults.length < mostNamed ? await faultOf(id) : undefined;
    if (found) faults.push(found);
  });
  const [first, ...others] = faults;
  if (first) throw new IamError([first, ...others]);
}
