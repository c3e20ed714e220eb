/** Reads whole lists from the API and from the control plane. */
import type { PlanDeps, QueryParams } from './deps.ts';

const maxPageSize = 1000;

type PageReader<Page> = (query: QueryParams) => Promise<Page>;

/** Reads a list of the API. */
export function readApiList(
  deps: PlanDeps,
  operation: string,
  params?: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  return readPages((query) => deps.readPage(operation, { ...(params === undefined ? {} : { params }), query }));
}

async function readPages(
  read: PageReader<{ readonly items: readonly unknown[]; readonly next?: string | undefined }>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await read({ limit: maxPageSize, after });
    // `push(...items)` could exceed the argument limit.
    for (const item of page.items) found.push(item);
    after = page.next;
  } while (after !== undefined);
  return found;
}

/** Reads a list that only the control plane has. @throws CliError if the server has no control plane */
export async function readControlList(deps: PlanDeps, path: string): Promise<unknown[]> {
  const found = await readOptionalControlList(deps, path);
  if (found) return found;
  throw deps.failure(
    `The server at ${deps.baseUrl} has no control plane, which is required to list ${path.replace('/_iam/', '')}.`,
    {
      code: 'CONTROL_PLANE_MISSING',
      exitCode: 3,
      hint: 'Remove them from the documents, or use a server that was started without --disable-control-plane.',
    },
  );
}

/** Reads a list of the control plane; undefined if the server has none. */
export async function readOptionalControlList(deps: PlanDeps, path: string): Promise<unknown[] | undefined> {
  let isMissing = false;
  const found = await readPages(async (query) => {
    const page = await deps.readControlPage(path, query);
    isMissing ||= page === undefined;
    return page ?? { items: [] };
  });
  return isMissing ? undefined : found;
}
