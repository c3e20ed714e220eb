/** Starts the console in the page that the server sent. */
import '@mantine/core/styles.css';
import './console.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { createConsole } from './api/console-context.ts';
import { readConsoleLocation } from './api/location.ts';
import { App } from './app.tsx';

/** The server puts it into the page; style elements without it are not applied. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
setNonce(nonce);

const root = document.getElementById('root');
if (root) {
  const console = createConsole(readConsoleLocation(window.location.pathname), Date.now);
  createRoot(root).render(<App console={console} nonce={nonce} />);
}
