import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import { demoProfile } from '../../config/connection-settings.ts';
import { isLostWithContainer } from '../../config/container-layer.ts';
import { stateDirectory } from '../../config/directories.ts';
import { line } from '../../core/sanitize.ts';
import type { Run } from '../call/run.ts';
import { describeStoreInUse } from '../call/store-in-use.ts';

/** Prints where a change goes, before it is sent: `main → store Juniper & Ink (4be5c0de) @ api.example.com`. */
export async function announce({ target, ui, session }: Run): Promise<void> {
  warnOfLostHistory(target, ui, session);
  const host = target.profile === demoProfile ? '' : ` @ ${new URL(target.baseUrl).host}`;
  ui.notice(line`${target.profile} → store ${await describeStoreInUse(session)}${host}`, 'dim');
}

/** Warns if the history is in the layer of a container: the container takes it along, and `resume` and `undo` need it. */
function warnOfLostHistory({ profile }: Run['target'], ui: Ui, { io }: Session): void {
  if (profile === demoProfile) return;
  const directory = stateDirectory(io);
  if (!isLostWithContainer(directory, io.env)) return;
  ui.noticeOnce(
    line`warning: the history in ${directory} is lost with this container; mount a volume there (docker run --volume storectl:${directory})`,
    'yellow',
  );
}
