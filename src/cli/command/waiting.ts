import type { StatusLine } from './status-line.ts';

/** Shows in the status line what is awaited, after a second without an answer. */
export interface Waiting {
  /** Runs `work`. `what` is awaited meanwhile, such as the host of the service. */
  during<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
  /** An answer has come: counts from now on. */
  answered(): void;
}

const secondMs = 1000;

export function createWaiting({ setWait }: Pick<StatusLine, 'setWait'>): Waiting {
  let running = 0;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const answered = () => {
    since = performance.now();
    setWait(null);
  };
  return {
    answered,
    async during(what, work) {
      if (running++ === 0) {
        since = performance.now();
        timer = setInterval(() => {
          const seconds = Math.floor((performance.now() - since) / secondMs);
          if (seconds > 0) setWait({ what, seconds });
        }, secondMs);
      }
      try {
        return await work();
      } finally {
        if (--running === 0) {
          clearInterval(timer);
          setWait(null);
        }
      }
    },
  };
}
