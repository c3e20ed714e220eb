/** Fields that several pages of a login have. */
import { type Html, html } from './html.ts';

export function renderUserNameField(label: string, value: string | undefined, isFocused: boolean): Html {
  return html`<label for="user_name">${label}</label>
<input id="user_name" name="user_name" value="${value}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="254"${focus(isFocused)}>
`;
}

export function renderCodeField(value?: string): Html {
  return html`<label for="code">Code</label>
<input id="code" name="code" value="${value}" inputmode="numeric" autocomplete="one-time-code" required maxlength="100" autofocus>
`;
}

export function renderNewPasswordField(label: string): Html {
  return html`<label for="new_password">${label}</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" required maxlength="1000" aria-describedby="rule">
<p class="muted" id="rule">At least 8 characters, no common password, and without your user name.</p>
`;
}

/** @param code only with test features, for this machine. */
export function renderSentCode(code: string | undefined): Html | undefined {
  return code === undefined ? undefined : html`<p class="note">Test: the code is <code>${code}</code></p>`;
}

export function focus(isFocused: boolean): Html | undefined {
  return isFocused ? html` autofocus` : undefined;
}
