import { mkdtemp, writeFile } from 'node:fs/promises';
import { startNginx } from './upstream/nginx.ts';
import { startNode, usageOf, runTask } from './processes.ts';
import { closedLoop } from './load/closed-loop.ts';
import { chatBody } from './load/chat-body.ts';
import { benchEntries, keySecret } from './peers/gatehouse/entries.ts';
import { bundleGatehouse } from './peers/gatehouse/bundle.ts';
const dir = await mkdtemp('/tmp/bench-');
const nginx = await startNginx('/usr/sbin/nginx', dir);
const upstream = `http://127.0.0.1:${nginx.port}`;
const bare = await startNode<{port:number}>(new URL('./peers/bare/main.ts', import.meta.url), { env: { UPSTREAM: upstream, NODE_ENV: 'production' } });
await writeFile(dir + '/s.ndjson', [...benchEntries({ upstream: upstream + '/v1', keys: 1, providers: 0, configs: 0 })].map((e) => JSON.stringify(e)).join('\n'));
let t = performance.now();
await bundleGatehouse(dir + '/gatehouse.js');
console.log('bundle', performance.now() - t);
const env = { SNAPSHOT: dir + '/s.ndjson', NODE_ENV: 'production', PORT: '0', GATEHOUSE_ADMIN_PORT: '0', HOST: '127.0.0.1', GATEHOUSE_LOG_LEVEL: 'info' };
t = performance.now();
const gw = await startNode<any>(new URL('file://' + dir + '/gatehouse.js'), { env });
console.log('start', performance.now() - t, gw.ready);
const target = (port: number, headers: any) => ({ host: '127.0.0.1', port, path: '/v1/chat/completions', headers });
const targets: any = {
  direct: [target(nginx.port, {}), nginx.pid],
  bare: [target(bare.ready.port, { authorization: 'Bearer x' }), bare.pid],
  gatehouse: [target(gw.ready.port, { 'x-gw-api-key': keySecret(1), 'x-gw-provider': '@openai' }), gw.pid],
};
for (let r = 0; r < 3; r++) for (const [n, [tg, pid]] of Object.entries<any>(targets)) {
  const before = await usageOf(pid);
  const res = await closedLoop({ wrk: '/usr/bin/wrk', directory: dir }, { target: tg, body: chatBody(1024), connections: 64, seconds: 4 });
  const after = await usageOf(pid);
  console.log(n, res, 'cpu us/req', ((after.cpuMs - before.cpuMs) * 1000 / res.requests).toFixed(1), after.rssMb);
}
for (const [n, [tg]] of Object.entries<any>(targets)) console.log(n, await runTask(new URL('./load/open-loop.ts', import.meta.url), { target: tg, body: chatBody(1024), ratePerSecond: 3000, warmupSeconds: 1, seconds: 3 }));
const sse = await startNode<any>(new URL('./upstream/sse.ts', import.meta.url));
await gw.stop();
await writeFile(dir + '/s.ndjson', [...benchEntries({ upstream: `http://127.0.0.1:${sse.ready.port}/v1`, keys: 1, providers: 0, configs: 0 })].map((e) => JSON.stringify(e)).join('\n'));
const gw2 = await startNode<any>(new URL('file://' + dir + '/gatehouse.js'), { env });
for (const tg of [target(sse.ready.port, {}), target(gw2.ready.port, targets.gatehouse[0].headers)]) {
  const b = await usageOf(gw2.pid);
  console.log(await runTask(new URL('./load/streams.ts', import.meta.url), { target: tg, body: chatBody(1024, { stream: true }), streams: 1000, rampSeconds: 5, seconds: 6, intervalMs: 50 }));
  const a = await usageOf(gw2.pid); console.log(a.rssMb, 'cpu ms', a.cpuMs - b.cpuMs);
}
await Promise.all([nginx, bare, gw2, sse].map((p) => p.stop()));
