/** The pages of account recovery. */
import { renderCodeField, renderNewPasswordField, renderSentCode, renderUserNameField } from './fields.ts';
import { html, renderHiddenFields } from './html.ts';
import { type LoginPageForm, renderForm, renderLoginPage, renderStep } from './login-pages.ts';
import type { PageResponse } from './page-error.ts';

export function renderForgotPage(form: LoginPageForm, userName = ''): PageResponse {
  return renderLoginPage(
    form,
    'Forgot your password?',
    html`<p class="muted">A code is sent to the verified e-mail address and mobile number of the account.</p>
${renderForm(form, 'recover', html`${renderUserNameField('User name', userName, true)}<button>Send a code</button>`)}${renderStep(form, 'switch', 'Back to the login')}`,
  );
}

interface ResetPage {
  readonly userName: string;
  /** The typed code, after an error. */
  readonly code?: string;
  /** The code that was sent; only with test features, for this machine. */
  readonly sentCode?: string | undefined;
}

export function renderResetPage(form: LoginPageForm, { userName, code, sentCode }: ResetPage): PageResponse {
  const hidden = renderHiddenFields({ user_name: userName });
  return renderLoginPage(
    form,
    'Set a new password',
    html`<p class="muted">If ${userName} has an account with a verified contact, a code was sent there. It is valid for ten minutes.</p>
${renderSentCode(sentCode)}
${renderForm(
  form,
  'reset',
  html`${hidden}${renderCodeField(code)}${renderNewPasswordField('New password')}<button>Set the password</button>`,
)}${renderStep(form, 'recover', 'Send another code', hidden)}${renderStep(form, 'switch', 'Back to the login')}`,
  );
}
