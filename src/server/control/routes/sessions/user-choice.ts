/** The user of a session that begins without a password: by id or login name. */
import { reference } from '../../../../contract/entities.ts';
import { fieldError } from '../../../../contract/errors.ts';
import { Id, singleLine } from '../../../../contract/schemas/primitives.ts';

export const userChoice = {
  userName: singleLine(320, 'A login name of the user')
    .optional()
    .meta({ examples: ['alice@example.com'], ...reference('user', ['name']) }),
  userId: Id.optional().meta({ description: 'Id of the user', examples: ['alice'], ...reference('user', ['id']) }),
};

export const userChoices = ['userName', 'userId'] as const satisfies readonly (keyof typeof userChoice)[];

interface UserChoice {
  readonly userName?: string | undefined;
  readonly userId?: string | undefined;
}

/** @throws IamError FIELD_VALUE. */
export function assertOneUser({ userName, userId }: UserChoice): void {
  if (userName !== undefined && userId !== undefined)
    throw fieldError('FIELD_VALUE', userChoices, 'Specify only one of userName and userId.');
}

export function hasUser({ userName, userId }: UserChoice): boolean {
  return userName !== undefined || userId !== undefined;
}
