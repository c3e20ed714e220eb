/** The body of every failure, and the data that an error carries beside its message. */
import * as z from 'zod';

/** The most groups that an error names. */
export const maxGroupNames = 5;

/** A list that nobody changes: the type of the data is read-only, and that of the API document a plain array. */
function list(most?: number): z.ZodType<readonly string[]> {
  const names = z.array(z.string());
  return most === undefined ? names : names.max(most);
}

export const ErrorDetailsSchema = z
  .strictObject({
    field: z
      .string()
      .optional()
      .describe(
        'The wrong field of the body by its path, as in `roles[0]`, or the query parameter, header or path parameter',
      ),
    fields: list()
      .optional()
      .describe('The fields that the error is about, where it is about a choice or a combination of several'),
    missingRoles: list().optional().describe('Roles that the caller lacks'),
    missingScopes: list().optional().describe('Scopes that the caller lacks'),
    grantedByGroups: list(maxGroupNames)
      .optional()
      .describe(
        'Names of groups with the first missing role that a group can give; only for callers that may list groups',
      ),
    limit: z.int().optional().describe('The limit that the request exceeds'),
    retryAfter: z.int().optional().describe('Seconds to wait before the next attempt, as in the header Retry-After'),
    setting: z.string().optional().describe('The setting of the server that decides about it'),
  })
  .meta({
    id: 'ErrorDetails',
    description: 'What the message of an error says, as data. Fields that say nothing are absent.',
  });

/** Data of an error. It never holds a secret. */
export type ErrorDetails = Readonly<z.infer<typeof ErrorDetailsSchema>>;

export const ErrorItemSchema = z
  .strictObject({
    code: z.string().describe('Stable upper-case word'),
    message: z.string().describe('For people; it may change'),
    details: ErrorDetailsSchema.optional(),
  })
  .meta({ id: 'ErrorItem', description: 'One error of a request.' });

/** The body of every failure. */
export const ErrorBody = z.array(ErrorItemSchema).min(1);
