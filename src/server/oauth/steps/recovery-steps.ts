/** Account recovery on the login pages, with the code of retrieve-identity and reset-password. */
import { resetPassword, startRecovery } from '../../auth/recovery.ts';
import { passwordErrorCodes } from '../../users/password-policy.ts';
import { createForm, type FormMessage, renderLogin, showErrors } from '../login-flow.ts';
import { findSentCode } from '../login-test-features.ts';
import { renderForgotPage, renderResetPage } from '../pages/recovery-pages.ts';
import type { LoginStep } from './login-steps.ts';

export const recoveryErrors = ['TOO_MANY_CODES', 'CODE_INVALID', 'CODE_FAILURES', ...passwordErrorCodes] as const;

/** Those that the user can mend on the same page. */
const codes = ['TOO_BUSY', ...recoveryErrors];

async function askForName(...[context, state, { user_name: userName }]: Parameters<LoginStep>) {
  return renderForgotPage(createForm(context, state), userName);
}

/** The page that follows is the same for a name that no user has. */
async function sendRecoveryCode(...[context, state, { user_name: userName = '' }]: Parameters<LoginStep>) {
  const form = createForm(context, state);
  if (userName.trim() === '') return renderForgotPage(form);
  const render = (message: FormMessage) => renderForgotPage({ ...form, ...message }, userName);
  return showErrors({ codes, render }, async () => {
    const started = await context.store.transaction((tx) => startRecovery(tx, { loginName: userName }, context));
    context.outbox.wake();
    const sentCode = await findSentCode(context, started.contacts, started.codeId);
    return renderResetPage(form, { userName, sentCode });
  });
}

async function resetLostPassword(...[context, state, fields]: Parameters<LoginStep>) {
  const { user_name: userName = '', code = '', new_password: newPassword = '' } = fields;
  const form = createForm(context, state);
  const render = (message: FormMessage) => renderResetPage({ ...form, ...message }, { userName, code });
  return showErrors({ codes, render }, async () => {
    const user = await resetPassword(context, { loginName: userName, code: code.trim(), newPassword });
    context.recordLogin({ userId: user.userId });
    const { current, ...browser } = state.browser;
    // The sessions of the user have ended, also that of this browser.
    const isSame = current?.user.userId === user.userId;
    const next = { ...state, browser: isSame ? browser : state.browser };
    return renderLogin(context, next, { userName, notice: 'Your password was changed. Log in with the new one.' });
  });
}

export const recoverySteps = {
  forgot: askForName,
  recover: sendRecoveryCode,
  reset: resetLostPassword,
} satisfies Readonly<Record<string, LoginStep>>;
