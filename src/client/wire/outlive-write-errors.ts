import type { Socket } from 'node:net';

/** How long the response is read after a failed write, in milliseconds. As a rule it has arrived already. */
const READ_ON_MS = 1_000;

/**
 * Delays the error of a failed write until the socket was read to its end. A service may respond before it has read the whole request,
 * for example with 413, and close the connection. Then the write fails although the response is there, and Node would not read a socket
 * after a failed write.
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
