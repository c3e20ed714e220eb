/** Sign-up on the login pages, with the code of the operations identification, create and create-password. */
import { fieldError } from '../../../contract/errors.ts';
import { Email } from '../../../contract/schemas/contact.ts';
import { UserName } from '../../../contract/schemas/user.ts';
import { sendSignUpCode, signUp } from '../../auth/sign-up.ts';
import { emailContact } from '../../messaging/contacts.ts';
import { maySignUp } from '../authorization-request.ts';
import { createForm, type FormMessage, logInWithPassword, renderLogin, showErrors } from '../login-flow.ts';
import { findSentCode } from '../login-test-features.ts';
import { renderAccountPage, renderSignUpPage } from '../pages/sign-up-pages.ts';
import type { LoginStep } from './login-steps.ts';
import { recoveryErrors } from './recovery-steps.ts';

export const signUpErrors = ['NAME_NOT_VISIBLE', 'USER_NAME_RESERVED', 'LOGIN_NAME_TAKEN'] as const;

const codes = ['FIELD_VALUE', 'TOO_BUSY', ...recoveryErrors, ...signUpErrors];

/** The step, for clients with sign-up; the login page for others. */
function requireSignUp(step: LoginStep): LoginStep {
  return (context, state, form) =>
    maySignUp(state.request.client) ? step(context, state, form) : renderLogin(context, state);
}

const askForAddress: LoginStep = async (context, state) => renderSignUpPage(createForm(context, state));

const sendCode: LoginStep = (context, state, { email = '' }) => {
  const form = createForm(context, state);
  const render = (message: FormMessage) => renderSignUpPage({ ...form, ...message }, email);
  return showErrors({ codes, render }, async () => {
    const contact = emailContact(parseField(Email, 'email', email));
    const { codeId } = await sendSignUpCode(context, contact);
    return renderAccountPage(form, { email, sentCode: await findSentCode(context, [contact], codeId) });
  });
};

const createAccount: LoginStep = (context, state, fields) => {
  const { email = '', user_name: userName = '', code = '', new_password: password = '' } = fields;
  const form = createForm(context, state);
  const render = (message: FormMessage) => renderAccountPage({ ...form, ...message }, { email, userName, code });
  return showErrors({ codes, render }, async () => {
    const user = await signUp(context, {
      userName: parseField(UserName, 'user name', userName.trim()),
      ...{ userEmail: parseField(Email, 'email', email), code: code.trim(), password },
    });
    return logInWithPassword(context, state, { user_name: user.userName, password });
  });
};

/** @throws IamError FIELD_VALUE. */
function parseField(schema: typeof Email | typeof UserName, name: string, value: string): string {
  const { data, error } = schema.safeParse(value);
  if (data === undefined) throw fieldError('FIELD_VALUE', name, `The ${name} ${error?.issues[0]?.message}.`);
  return data;
}

export const signUpSteps = {
  'sign-up': requireSignUp(askForAddress),
  verify: requireSignUp(sendCode),
  create: requireSignUp(createAccount),
} satisfies Readonly<Record<string, LoginStep>>;
