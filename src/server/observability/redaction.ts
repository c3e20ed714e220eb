/**
 * Redacts recorded requests: bodies and queries keep only declared fields, without those that the schema marks as
 * sensitive. An undeclared field may be a secret in the wrong position.
 */
import * as z from 'zod';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Operation } from '../../contract/operation.ts';
import { FieldTree, type RedactionStyle, redact, redactionMarks } from '../../contract/redaction.ts';
import { parseQuery } from '../http/query.ts';
import { maxBodyLength, type RequestLogEntry } from './request-log.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

const { secret: secretMark, undeclared: undeclaredMark, hidden: hiddenMark } = redactionMarks;

const style: RedactionStyle = {
  sensitive: () => secretMark,
  // Omits the names too: a caller may send a secret as a name.
  undeclared: (fields) => [[undeclaredMark, fields.length]],
  mistyped: hiddenMark,
};

/** The redacted request body; undefined if it is not known. */
export function redactBody({ body, operation }: RequestLogEntry): unknown {
  if (body === undefined) return undefined;
  const schema = operation?.request.body;
  return schema ? redact(body, fieldsOf(schema), style) : hiddenMark;
}

/** The redacted response body. Error arrays contain no secrets and are returned as they are. */
export function redactResponse({ response, responseLength, errors, operation }: RequestLogEntry): unknown {
  if (errors.length > 0) return errors;
  if (response === undefined) return formatOmitted(responseLength);
  const schema = operation && findResponseSchema(operation);
  const value = schema && parseJson(response);
  return schema && typeof value === 'object' ? redact(value, fieldsOf(schema), style) : hiddenMark;
}

function formatOmitted(length: number): string | undefined {
  return length > maxBodyLength ? `(left out: ${length} bytes)` : undefined;
}

/** Redacted query parameters by name. */
export function redactQuery(entry: RequestLogEntry): Record<string, string> {
  return Object.fromEntries(
    listQueryParameters(entry).map(({ name, value, isOpen, isDeclared }) => {
      if (isOpen) return [name, value];
      return [name, isDeclared ? secretMark : undeclaredMark];
    }),
  );
}

interface QueryParameter {
  readonly name: string;
  readonly value: string;
  readonly isDeclared: boolean;
  /** Whether the value may be shown. */
  readonly isOpen: boolean;
}

export function listQueryParameters({ search, operation }: RequestLogEntry): QueryParameter[] {
  const declared = (operation?.request.query ?? {}) as Shape;
  return [...parseQuery(search)].map(([name, value]) => {
    const schema = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const isOpen = schema
      ? fieldsOf(schema).level === undefined
      : name === 'clientId' && operation?.auth === 'client-id';
    return { name, value, isDeclared: schema !== undefined, isOpen };
  });
}

function findResponseSchema({ response }: Operation<never>): z.ZodType | undefined {
  if ('page' in response) return response.page;
  return 'body' in response ? response.body : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function fieldsOf(schema: z.ZodType): FieldTree {
  return new FieldTree([toInputSchema(schema)]);
}

function toInputSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
}
