import type { Io, Keyboard, KeyListener } from '../core/io.ts';

/** What the terminal itself does at these keys while it is not in raw mode. */
const signals = new Map<number, 'SIGINT' | 'SIGTSTP' | 'SIGQUIT'>([
  [0x03, 'SIGINT'],
  [0x1a, 'SIGTSTP'],
  [0x1c, 'SIGQUIT'],
]);

/** How long after Ctrl-Z the questions go on where nothing stops the program, as without a shell's job control. */
const unstoppedMs = 200;

/** The keyboard of the command, which its first question takes. */
export function holdKeyboard(io: Io): Keyboard {
  io.keyboard ??= openKeyboard(io);
  return io.keyboard;
}

/**
 * The terminal's keyboard, from the first question of a command to its end. What is typed while no question is on the
 * screen is neither shown nor becomes an answer: it may be a key that was pasted a second time. Ctrl-C, Ctrl-Z and
 * Ctrl-\ work as always.
 */
function openKeyboard({ stdin, process, signalJob, onContinue }: Io): Keyboard {
  let listener: KeyListener | null = null;
  let lent: { readonly onContinue: () => void } | null = null;
  let timer: NodeJS.Timeout | undefined;

  function setRaw(raw: boolean): void {
    stdin.setRawMode?.(raw);
  }

  function suspend(): void {
    if (signalJob === undefined || process.platform === 'win32') return;
    listener?.leave();
    setRaw(false);
    signalJob('SIGTSTP');
    timer = setTimeout(goOn, unstoppedMs);
  }

  function goOn(): void {
    clearTimeout(timer);
    if (lent !== null) {
      lent.onContinue();
      return;
    }
    // The shell has changed the terminal, and setting the mode that Node knows does nothing.
    setRaw(false);
    setRaw(true);
    listener?.redraw();
  }

  const onData = (chunk: Buffer | string) => {
    const bytes = Buffer.from(chunk);
    if (listener !== null) return listener.receive(bytes);
    const signal = bytes.reduce<string | undefined>((found, byte) => found ?? signals.get(byte), undefined);
    if (signal === 'SIGTSTP') suspend();
    else if (signal === 'SIGINT' || signal === 'SIGQUIT') signalJob?.(signal);
  };

  function take(): void {
    lent = null;
    setRaw(true);
    stdin.on('data', onData);
    stdin.resume();
  }

  function lend(onContinue = () => {}): void {
    lent = { onContinue };
    stdin.off('data', onData);
    stdin.pause();
    setRaw(false);
  }

  const stopListening = onContinue?.(goOn);
  take();
  return {
    async listen(next) {
      // What was typed before is read first, and dropped.
      for (let pass = 0; pass < 2; pass += 1) await new Promise((resolve) => setImmediate(resolve));
      listener = next;
      return () => {
        if (listener === next) listener = null;
      };
    },
    suspend,
    lend(onContinue) {
      if (lent !== null) return () => {};
      lend(onContinue);
      return take;
    },
    close() {
      clearTimeout(timer);
      stopListening?.();
      if (lent === null) lend();
    },
  };
}
