/** Starts the console in the page that the server sent. */
import './mantine.css';
import './console.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { createConsole } from './api/console-context.ts';
import { readConsoleLocation } from './api/location.ts';
import { App } from './app.tsx';

/** What the server puts into the page. */
const readMeta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** Style elements without it are not applied. */
const nonce = readMeta('csp-nonce');
setNonce(nonce);

const root = document.getElementById('root');
if (root) {
  const console = createConsole(readConsoleLocation(window.location.pathname), readMeta('login-client'), Date.now);
  createRoot(root).render(<App console={console} nonce={nonce} />);
}
