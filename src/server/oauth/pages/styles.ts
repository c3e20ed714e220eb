/** The style of the pages of a login: the scale, the colors and the radius of the console. */
export const styles = `
:root {
  --page: #f8f9fb; --card: #fff; --text: #1c2027; --muted: #565e6c; --line: #d3d8df; --accent: #4a5cdb; --on-accent: #fff;
  --error: #b42318; --tint: #f2f4f7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101216; --card: #1e2128; --text: #e6e8ec; --muted: #a6adb9; --line: #31363f; --accent: #94a3f8; --on-accent: #0c0e11;
    --error: #ff9a8f; --tint: #272b33;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 48px 16px; background: var(--page); color: var(--text);
  font: 400 14px/20px system-ui, sans-serif;
}
main {
  max-width: 400px; margin: 0 auto; padding: 24px; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  overflow-wrap: anywhere;
}
.mark { margin: 0 0 16px; font-size: 13px; font-weight: 600; }
.mark span, .muted { color: var(--muted); font-weight: 400; }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 28px; font-weight: 600; }
h2 { margin: 24px 0 8px; padding-top: 16px; border-top: 1px solid var(--line); font-size: 14px; font-weight: 600; }
p { margin: 0 0 16px; }
form { margin: 0 0 12px; }
form:has(> button.subtle) { margin: 0; }
label { display: block; margin: 12px 0 4px; font-weight: 600; }
input:not([type=hidden], [type=radio]), select {
  width: 100%; min-height: 36px; padding: 0 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--card);
  color: var(--text); font: inherit;
}
button {
  width: 100%; min-height: 36px; margin-top: 16px; padding: 6px 12px; border: 1px solid var(--accent); border-radius: 6px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer;
}
button.subtle { background: none; border-color: var(--line); color: var(--text); font-weight: 400; margin-top: 8px; }
button.link { width: auto; min-height: 24px; margin: 0; padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
button.row { display: flex; align-items: center; justify-content: space-between; gap: 8px; margin-top: 4px; text-align: left; padding: 6px 10px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
a { color: var(--accent); }
.error { padding: 8px 12px; border: 1px solid var(--error); border-radius: 6px; color: var(--error); }
.note { padding: 8px 12px; border-radius: 6px; background: var(--tint); }
code { font: 12px/16px ui-monospace, monospace; white-space: nowrap; }
select + button.row { margin-top: 8px; }
ul { margin: 0 0 16px; padding-left: 20px; }
.inline { display: flex; gap: 8px; }
@media (max-width: 460px) { body { padding: 0; } main { min-height: 100vh; border: 0; border-radius: 0; } }
@media (pointer: coarse) { button, button.link, input:not([type=hidden], [type=radio]), select { min-height: 44px; } }
`;
