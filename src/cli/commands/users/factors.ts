/** Reads one contact of a user: no operation returns it alone. */
import type { ErrorCode } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { callOperation } from '../../request/call-operation.ts';
import type { EntityRead } from '../../request/entity-rows.ts';
import { withFileEtag } from '../../request/file-etag.ts';
import { readEntityDetail } from '../control-details.ts';

type Row = Readonly<Record<string, unknown>>;

/** A contact of the caller. */
export async function readOwnFactor(context: Context, id: string): Promise<EntityRead> {
  const { body } = await callOperation(context, 'user-identities.factors.list', {});
  const read = findFactor(body as readonly Row[], id);
  return withFileEtag(context, 'user-identities.factors.update', read);
}

/** A contact of any user. */
export async function readUserFactor(context: Context, userId: string, id: string): Promise<EntityRead> {
  const path = `/_iam/users/${encodeURIComponent(userId)}/factors/`;
  return readEntityDetail(context, { path, update: 'user-identities.factors.admin-update' }, id);
}

function findFactor(rows: readonly Row[], id: string): EntityRead {
  const entity = rows.find((row) => row.id === id);
  if (entity) return { entity: { ...entity, tags: parseTags(entity.tags) } };
  const code: ErrorCode = 'FACTOR_NOT_FOUND';
  throw new CliError(`Contact ${JSON.stringify(id)} not found.`, {
    code,
    exitCode: 3,
    hint: 'List them with `iam factors list`.',
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
