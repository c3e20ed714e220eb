/** Copies a text to the clipboard and says so. Pages without a secure context may not copy. */
import { Button, type ButtonProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface CopyTextButtonProps extends Pick<ButtonProps, 'size' | 'variant'> {
  readonly text: string;
  readonly label: string;
  /** Has the focus when its dialog opens. */
  readonly isFirst?: boolean;
}

/** How long the result is shown, in milliseconds. */
const shownFor = 2000;

export function CopyTextButton({
  text,
  label,
  size = 'compact-sm',
  variant = 'default',
  isFirst,
}: CopyTextButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: shownFor });
  return (
    <Button
      size={size}
      variant={variant}
      onClick={() => copy(text)}
      aria-live="polite"
      {...(isFirst ? { 'data-autofocus': true } : {})}
    >
      {error ? 'Copying is not allowed here' : copied ? 'Copied' : label}
    </Button>
  );
}
