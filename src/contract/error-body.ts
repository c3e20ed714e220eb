/** Schemas of the error body and of the details of an error. */
import * as z from 'zod';

/** Maximum number of groups in `grantedByGroups`. */
export const maxGroupNames = 5;

/** A string array whose TypeScript type is read-only; in the OpenAPI document it is a plain array. */
function list(max?: number): z.ZodType<readonly string[]> {
  const names = z.array(z.string());
  return max === undefined ? names : names.max(max);
}

export const ErrorDetailsSchema = z
  .strictObject({
    field: z
      .string()
      .optional()
      .describe(
        'Path of the wrong field in the body, such as `roles[0]`, or name of the query parameter, header or path parameter',
      ),
    fields: list().optional().describe('The fields that the error is about, if it is about a combination of fields'),
    missingRoles: list().optional().describe('Roles that the caller lacks'),
    missingScopes: list().optional().describe('Scopes that the caller lacks'),
    grantedByGroups: list(maxGroupNames)
      .optional()
      .describe('Names of groups that grant the first missing role; only for callers that may list groups'),
    limit: z.int().optional().describe('The limit that the request exceeds'),
    retryAfter: z.int().optional().describe('Seconds to wait before the next attempt, as in the header Retry-After'),
    setting: z.string().optional().describe('The server setting that controls it'),
  })
  .meta({
    id: 'ErrorDetails',
    description: 'The content of an error message as data. Empty fields are omitted.',
    examples: [{ missingRoles: ['DEPLOY'], grantedByGroups: ['ops'] }],
  });

/** Details of an error. They never contain a secret. */
export type ErrorDetails = Readonly<z.infer<typeof ErrorDetailsSchema>>;

export const ErrorItemSchema = z
  .strictObject({
    code: z.string().describe('Stable error code in upper case'),
    message: z.string().describe('Human-readable message; it may change'),
    details: ErrorDetailsSchema.optional(),
  })
  .meta({
    id: 'ErrorItem',
    description: 'One error of a request.',
    examples: [{ code: 'ROLE_MISSING', message: 'The caller lacks DEPLOY.', details: { missingRoles: ['DEPLOY'] } }],
  });

/** The body of every error response. */
export const ErrorBody = z.array(ErrorItemSchema).min(1);
