/** The pages on which users create an account. */
import { renderCodeField, renderNewPasswordField, renderSentCode, renderUserNameField } from './fields.ts';
import { html, renderHiddenFields } from './html.ts';
import { type LoginPageForm, renderForm, renderLoginPage, renderStep } from './login-pages.ts';
import type { PageResponse } from './page-error.ts';

export function renderSignUpPage(form: LoginPageForm, email?: string): PageResponse {
  return renderLoginPage(
    form,
    'Create an account',
    html`<p class="muted">to continue to ${form.application}. A code is sent to your e-mail address.</p>
${renderForm(
  form,
  'verify',
  html`<label for="email">E-mail address</label>
<input id="email" name="email" type="email" value="${email}" autocomplete="email" required maxlength="254" autofocus>
<button>Send a code</button>`,
)}${renderStep(form, 'switch', 'Back to the login')}`,
  );
}

interface AccountPage {
  readonly email: string;
  readonly userName?: string;
  /** The typed code, after an error. */
  readonly code?: string;
  /** The code that was sent; only with test features, for this machine. */
  readonly sentCode?: string | undefined;
}

export function renderAccountPage(form: LoginPageForm, { email, userName, code, sentCode }: AccountPage): PageResponse {
  const hidden = renderHiddenFields({ email });
  return renderLoginPage(
    form,
    'Create an account',
    html`<p class="muted">A code was sent to ${email}. It is valid for ten minutes.</p>
${renderSentCode(sentCode)}
${renderForm(
  form,
  'create',
  html`${hidden}${renderCodeField(code)}${renderUserNameField('User name', userName, false)}${renderNewPasswordField('Password')}<button>Create the account</button>`,
)}${renderStep(form, 'verify', 'Send another code', hidden)}${renderStep(form, 'switch', 'Back to the login')}`,
  );
}
