/** Who serves what, seen from outside: long polls of every gateway and a watch of the manifest, none of them the operator's. */
import { MANIFEST_KEY, manifestName, parseManifest } from '@gatehouse/crds/snapshot';
import { Agent } from 'undici';
import { createMarks, type Marks } from './marks.ts';
import type { GatewayProcess } from './programs.ts';
import { FLEET, type Stage } from './stage.ts';

export interface Observer extends AsyncDisposable {
  readonly marks: Marks;
}

/** Asks a gateway for what comes after its last answer, again and again. */
export function observeGateway({ pod, adminUrl, token }: GatewayProcess): Observer {
  const marks = createMarks(pod);
  return observe(marks, new Agent({ connections: 1 }), async (dispatcher, signal) => {
    const { statusCode, body } = await dispatcher.request({
      ...{ origin: adminUrl, path: `/internal/snapshot?wait=${marks.version + 1}`, method: 'GET', signal },
      headers: { authorization: `Bearer ${token}` },
      headersTimeout: 0,
    });
    const answer = (await body.json()) as { readonly version?: number }; // our own gateway
    if (statusCode !== 200) throw new Error(`${pod} answered ${statusCode}`);
    marks.note(answer.version ?? 0);
  });
}

/** Watches the manifest of the fleet. */
export function observeManifest({ cluster, fleets }: Stage): Observer {
  const marks = createMarks('the manifest');
  const path = `/api/v1/namespaces/${fleets}/configmaps?watch=true&fieldSelector=metadata.name%3D${manifestName(FLEET)}`;
  const agent = new Agent({ connect: { ca: cluster.caPem } });
  return observe(marks, agent, async (dispatcher, signal) => {
    const { body } = await dispatcher.request({
      ...{ origin: cluster.url, path, method: 'GET', signal, headersTimeout: 0, bodyTimeout: 0 },
      headers: { authorization: `Bearer ${cluster.adminToken}` },
    });
    let rest = '';
    for await (const piece of body.setEncoding('utf8')) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) noteManifest(marks, line);
    }
  });
}

function noteManifest(marks: Marks, line: string): void {
  const event = JSON.parse(line) as { readonly object: { readonly data?: Readonly<Record<string, string>> } }; // a watch
  const manifest = parseManifest(event.object.data?.[MANIFEST_KEY] ?? '');
  if (manifest.ok) marks.note(manifest.value.version);
}

type Ask = (dispatcher: Agent, signal: AbortSignal) => Promise<void>;

/** Asks until it is disposed of; a failed request ends the observation, and its waiters run into their deadline. */
function observe(marks: Marks, agent: Agent, ask: Ask): Observer {
  const stop = new AbortController();
  const asking = (async () => {
    while (!stop.signal.aborted) await ask(agent, stop.signal);
  })().catch(() => undefined);
  return {
    marks,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await asking;
      await agent.destroy();
    },
  };
}
