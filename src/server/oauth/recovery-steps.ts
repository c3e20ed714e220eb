/** Account recovery on the login pages, with the code of retrieve-identity and reset-password. */
import { IamError } from '../../contract/errors.ts';
import { resetPassword, startRecovery } from '../auth/recovery.ts';
import { passwordErrorCodes } from '../users/password-policy.ts';
import { createFailedForm, createForm, renderLogin } from './login-flow.ts';
import type { LoginStep } from './login-steps.ts';
import { findSentCode } from './login-test-features.ts';
import { withPage } from './pages/page-error.ts';
import { renderForgotPage, renderResetPage } from './pages/recovery-pages.ts';

export const recoveryErrors = ['TOO_MANY_CODES', 'CODE_INVALID', 'CODE_FAILURES', ...passwordErrorCodes] as const;

/** Errors that the user can mend on the same page. */
function isForPage(error: unknown): error is IamError {
  return error instanceof IamError && ['TOO_BUSY', ...recoveryErrors].includes(error.code);
}

async function askForName(...[context, state, { user_name: userName }]: Parameters<LoginStep>) {
  return renderForgotPage(createForm(context, state), userName);
}

/** The page that follows is the same for a name that no user has. */
async function sendRecoveryCode(...[context, state, { user_name: userName = '' }]: Parameters<LoginStep>) {
  if (userName.trim() === '') return renderForgotPage(createForm(context, state));
  try {
    const started = await context.store.transaction((tx) => startRecovery(tx, { loginName: userName }, context));
    context.outbox.wake();
    const sentCode = await findSentCode(context, started.contacts, started.codeId);
    return renderResetPage(createForm(context, state), { userName, sentCode });
  } catch (error) {
    if (!isForPage(error)) throw error;
    throw withPage(error, renderForgotPage(createFailedForm(context, state, error), userName));
  }
}

async function resetLostPassword(...[context, state, form]: Parameters<LoginStep>) {
  const { user_name: userName = '', code = '', new_password: newPassword = '' } = form;
  try {
    const user = await resetPassword(context, { loginName: userName, code: code.trim(), newPassword });
    context.recordLogin(user.userId);
    const { current, ...browser } = state.browser;
    // The sessions of the user have ended, also that of this browser.
    const isSame = current?.user.userId === user.userId;
    const next = { ...state, browser: isSame ? browser : state.browser };
    return await renderLogin(context, next, {
      userName,
      notice: 'Your password was changed. Log in with the new one.',
    });
  } catch (error) {
    if (!isForPage(error)) throw error;
    throw withPage(error, renderResetPage(createFailedForm(context, state, error), { userName, code }));
  }
}

export const recoverySteps = {
  forgot: askForName,
  recover: sendRecoveryCode,
  reset: resetLostPassword,
} satisfies Readonly<Record<string, LoginStep>>;
