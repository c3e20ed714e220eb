/** Copies a text to the clipboard and says so. Without a secure context it selects nothing and says that it failed. */
import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';

interface CopyTextButtonProps extends Pick<ButtonProps, 'size' | 'variant'> {
  readonly text: string;
  readonly label: string;
}

/** How long the result is shown, in milliseconds. */
const shownFor = 2000;

export function CopyTextButton({ text, label, size = 'compact-sm', variant = 'default' }: CopyTextButtonProps) {
  const [result, setResult] = useState<string | undefined>();
  const copy = async () => {
    const copied = await writeText(text);
    setResult(copied ? 'Copied' : 'Copying is not allowed here');
    setTimeout(() => setResult(undefined), shownFor);
  };
  return (
    <Button size={size} variant={variant} onClick={() => void copy()} aria-live="polite">
      {result ?? label}
    </Button>
  );
}

async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
