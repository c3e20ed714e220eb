/** Reads the names of ids from the control plane, to show them to people. Without it, ids stay without names. */
import type { BaseClient } from '../../client/create-client.ts';
import type { EntityName } from '../../contract/entities.ts';
import { namesPath } from '../config/safety.ts';
import { type EntityNames, type FindNames, nameKey } from '../output/name-columns.ts';

/** The most ids of one request. */
const maxIds = 500;
/** The server refuses a request with other values, such as names. */
const idForm = /^[A-Za-z0-9._:@-]{1,64}$/;
/** Names must not delay the output for long. */
const timeoutMs = 3_000;

interface NameItem {
  readonly id: string;
  readonly kind: EntityName;
  readonly name: string;
}

/** Creates the reader of names of one command. It reads each id once, and nothing more after a failure. */
export function createNameReader(connect: () => Promise<BaseClient>, aborted: AbortSignal): FindNames {
  const names = new Map<string, string>();
  const known = new Set<string>();
  let isUnavailable = false;

  async function read(ids: readonly string[]): Promise<void> {
    const signal = AbortSignal.any([aborted, AbortSignal.timeout(timeoutMs)]);
    const { body } = await (await connect()).raw('POST', namesPath, { body: { ids }, signal });
    // Another product may respond to any path.
    const items = (body as { readonly names?: readonly NameItem[] } | undefined)?.names;
    if (!Array.isArray(items)) isUnavailable = true;
    else for (const { id, kind, name } of items as readonly NameItem[]) names.set(nameKey(kind, id), name);
  }

  return async (ids): Promise<EntityNames> => {
    const missing = [...new Set(ids)].filter((id) => idForm.test(id) && !known.has(id));
    for (let at = 0; at < missing.length && !isUnavailable; at += maxIds) {
      const chunk = missing.slice(at, at + maxIds);
      for (const id of chunk) known.add(id);
      try {
        await read(chunk);
      } catch (error) {
        if (aborted.aborted) throw error;
        isUnavailable = true;
      }
    }
    return names;
  };
}
