/** Reads one contact of a user: the lists have no operation for it. */
import type { ErrorCode } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { callOperation } from '../../request/call-operation.ts';
import { createControlPageSource } from '../../request/control-plane.ts';
import type { EntityRead } from '../../request/entity-rows.ts';
import { withFileEtag } from '../../request/file-etag.ts';
import { collectEntries } from '../../request/pagination.ts';

type Row = Readonly<Record<string, unknown>>;

/** A contact of the caller. */
export async function readOwnFactor(context: Context, id: string): Promise<EntityRead> {
  const { body } = await callOperation(context, 'user-identities.factors.list', {});
  const read = findFactor(body as readonly Row[], id, 'iam factors list');
  return withFileEtag(context, 'user-identities.factors.update', read);
}

/** A contact of any user. */
export async function readUserFactor(context: Context, userId: string, id: string): Promise<EntityRead> {
  const source = createControlPageSource(context, `/_iam/users/${encodeURIComponent(userId)}/factors`, {});
  const rows = (await collectEntries(source, Number.POSITIVE_INFINITY)) as readonly Row[];
  const read = findFactor(rows, id, `iam users factors list ${userId}`);
  return withFileEtag(context, 'user-identities.factors.admin-update', read);
}

function findFactor(rows: readonly Row[], id: string, list: string): EntityRead {
  const entity = rows.find((row) => row.id === id);
  if (entity) return { entity: { ...entity, tags: parseTags(entity.tags) } };
  const code: ErrorCode = 'FACTOR_NOT_FOUND';
  throw new CliError(`Contact ${JSON.stringify(id)} not found.`, {
    code,
    exitCode: 3,
    hint: `List them with \`${list}\`.`,
  });
}

/** The service API returns the tags as JSON text. */
function parseTags(tags: unknown): unknown {
  if (typeof tags !== 'string') return tags;
  try {
    return JSON.parse(tags);
  } catch {
    throw new CliError(`The server returned tags that are not JSON: ${JSON.stringify(tags)}.`, {
      code: 'ANSWER_UNREADABLE',
      exitCode: 70,
    });
  }
}
