/** Short messages about what was done, with a link to the object. They vanish by themselves, but not under the pointer. */
import { CloseButton, Paper, Text } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Subject, type SubjectProps } from '../subject.tsx';

export interface Toast {
  /** `The user was created.` */
  readonly text: string;
  /** What it is about, if it still exists. */
  readonly subject?: SubjectProps | undefined;
}

type ShowToast = (toast: Toast) => void;

const ToastContext = createContext<ShowToast>(() => {});

export function useToast(): ShowToast {
  return useContext(ToastContext);
}

interface ShownToast extends Toast {
  readonly key: number;
}

/** More at a time would hide the page. */
const maxToasts = 3;
const shownFor = 6000;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const show = useCallback(
    (toast: Toast) =>
      setToasts((shown) => [...shown, { ...toast, key: (shown.at(-1)?.key ?? 0) + 1 }].slice(-maxToasts)),
    [],
  );
  const dismiss = useCallback((key: number) => setToasts((shown) => shown.filter((toast) => toast.key !== key)), []);
  return (
    <ToastContext value={show}>
      {children}
      <section className="toasts" aria-label="Notifications">
        <div role="status">
          {toasts.map((toast) => (
            <ToastPanel key={toast.key} toast={toast} onDismiss={dismiss} />
          ))}
        </div>
      </section>
    </ToastContext>
  );
}

interface ToastPanelProps {
  readonly toast: ShownToast;
  onDismiss(key: number): void;
}

function ToastPanel({ toast: { key, text, subject }, onDismiss }: ToastPanelProps) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => onDismiss(key), shownFor);
    return () => clearTimeout(timer);
  }, [isHeld, key, onDismiss]);
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    <Paper
      className="toast"
      shadow="md"
      withBorder
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <Text size="sm" component="div" flex={1}>
        {text} {subject === undefined ? undefined : <Subject {...subject} />}
      </Text>
      <CloseButton size="sm" aria-label="Dismiss" onClick={() => onDismiss(key)} />
    </Paper>
  );
}
