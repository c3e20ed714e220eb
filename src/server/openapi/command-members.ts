/** What the client and the command need of an operation besides the API document: its members `x-command`, `x-effect` and `x-errors`. */
import type { ManifestOperation, OperationReference } from '../../contract/manifest-types.ts';
import type { CommandMembers } from '../../contract/openapi-operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import type { Json } from './json.ts';

type AnyOperation = Operation<never>;

/** Returns nothing for operations outside of the service prefix, which have no command. */
export function buildCommandMembers(operation: AnyOperation): Json {
  if (operation.mount === 'base') return {};
  return {
    'x-command': toCommand(operation),
    'x-effect': toEffect(operation),
    'x-errors': groupErrors(operation),
  };
}

function toCommand(operation: AnyOperation): CommandMembers {
  const { command, customCommand, clientLogin, auth, statuses, creates, cliExamples, softErrors, request } = operation;
  return {
    ...(command === undefined ? {} : { name: command }),
    ...(customCommand === undefined ? {} : { customCommand }),
    ...(clientLogin ? { clientLogin } : {}),
    auth,
    statuses,
    ...(creates === undefined ? {} : { creates }),
    ...(softErrors ? { softErrors } : {}),
    ...(request.bodyIgnored ? { bodyIgnored: true } : {}),
    response: toResponse(operation),
    examples: cliExamples,
  };
}

function toResponse({ response }: AnyOperation): CommandMembers['response'] {
  if ('page' in response) return { status: 200, page: true };
  if ('body' in response) {
    const { status, secret, entity } = response;
    return { status, ...(secret ? { secret } : {}), ...(entity ? { entity: true } : {}) };
  }
  const { status, header } = response;
  return header ? { status, secret: true, header: { name: header.name, field: header.field } } : { status };
}

function toEffect({ method, destructive = method === 'DELETE' }: AnyOperation): ManifestOperation['effect'] {
  if (method === 'GET') return 'read';
  return destructive ? 'destructive' : 'write';
}

/** Error codes by status. */
function groupErrors(operation: AnyOperation): OperationReference['errors'] {
  const codes = [...listOperationErrors(operation)];
  const statuses = [...new Set(codes.map(([, status]) => status))];
  return Object.fromEntries(
    statuses.map((status) => [status, codes.filter(([, at]) => at === status).map(([code]) => code)]),
  );
}
