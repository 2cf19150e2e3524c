import type { Socket } from 'node:net';

/** How long after a failed write the rest is read, in milliseconds. It has arrived already as a rule. */
const READ_ON_MS = 1_000;

/**
 * Makes a write that fails wait until the socket was read to its end. A service may respond before it has read the whole
 * request, with 413 for one, and close the connection: then writing fails while the response is there to be read, and a
 * socket whose write has failed is not read any more.
 */
export function outliveWriteErrors(socket: Socket): void {
  const readOn = (report: (error?: Error | null) => void) => (error?: Error | null) => {
    if (!error || socket.readableEnded || socket.destroyed) return report(error);
    const end = () => {
      clearTimeout(timer);
      socket.off('end', end).off('close', end);
      report(error);
    };
    const timer = setTimeout(end, READ_ON_MS);
    socket.on('end', end).on('close', end);
  };
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, report) => write(chunk, encoding, readOn(report));
  const writev = socket._writev?.bind(socket);
  if (writev !== undefined) socket._writev = (chunks, report) => writev(chunks, readOn(report));
}
