/** The form of the pages of a login: one for all steps, each of which reads the fields that it knows. */
import * as z from 'zod';
import { textUpTo } from '../../../contract/schemas/primitives.ts';
import { LoginPassword, NewPassword } from '../../../contract/schemas/user.ts';
import { sensitive } from '../../../contract/sensitive.ts';
import { signInLevels } from '../../../contract/testing/sign-in-levels.ts';
import type { OperationContext } from '../../request-context.ts';
import type { LoginState } from '../login-flow.ts';
import type { PageResponse } from '../pages/page-error.ts';

const text = textUpTo(1000);

/** All fields but the step. */
export const loginPageFields = {
  form_token: sensitive(text, 'one-time'),
  user_name: text.optional(),
  email: text.optional(),
  password: LoginPassword.optional(),
  new_password: NewPassword.optional(),
  provider: text.optional(),
  user_id: text.optional(),
  level: z.enum(signInLevels).optional(),
  factor: text.optional(),
  contact: text.optional(),
  challenge: sensitive(text, 'one-time').optional(),
  code: sensitive(text, 'one-time').optional(),
  decision: z.enum(['allow', 'deny']).optional(),
};

export type LoginPageFields = z.output<z.ZodObject<typeof loginPageFields>>;

export type LoginStep = (context: OperationContext, state: LoginState, form: LoginPageFields) => Promise<PageResponse>;
