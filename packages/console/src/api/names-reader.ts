/** The names of ids in responses without names. Those that a page needs are read in one request. */
import type { paths } from '#control-api';
import type { ControlClient } from './clients.ts';
import { unwrap } from './errors.ts';

type FoundName = paths['/names']['post']['responses'][200]['content']['application/json']['names'][number];
export type NameKind = FoundName['kind'];

/** The names that belong to one id, at most one of each kind. */
type NamesOfId = readonly FoundName[];

/** Returns the names of an id. Ids of the same moment are read together. */
export type NamesReader = (id: string) => Promise<NamesOfId>;

/** The most ids that the server accepts in a request. */
const maxIds = 500;

export function createNamesReader(control: ControlClient): NamesReader {
  let waiting = new Map<string, Promise<NamesOfId>>();
  let pending: Promise<readonly FoundName[]> | undefined;

  async function read(): Promise<readonly FoundName[]> {
    // The components of a page ask one after the other, in one turn of the event loop.
    await Promise.resolve();
    const ids = [...waiting.keys()];
    waiting = new Map();
    pending = undefined;
    const parts = Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, at) =>
      ids.slice(at * maxIds, (at + 1) * maxIds),
    );
    const found = await Promise.all(parts.map((part) => unwrap(control.POST('/names', { body: { ids: part } }))));
    return found.flatMap(({ names }) => names);
  }

  return (id) => {
    pending ??= read();
    const names = waiting.get(id) ?? pending.then((found) => found.filter((name) => name.id === id));
    waiting.set(id, names);
    return names;
  };
}
