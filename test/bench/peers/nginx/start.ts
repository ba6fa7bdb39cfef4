import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../../bench.ts';
import { freePort } from '../../ports.ts';
import { createPeer, type Peer } from '../peer.ts';

interface Ports {
  readonly port: number;
  readonly upstreamPort: number;
}

/** One worker; it keeps connections to the upstream, holds bodies of 2 MiB in memory and passes answers on as they come. */
const config = (directory: string, { port, upstreamPort }: Ports): string => `
daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${directory}/nginx.log error;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  scgi_temp_path ${directory}/scgi;
  uwsgi_temp_path ${directory}/uwsgi;
  client_max_body_size 64m;
  client_body_buffer_size 2m;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  tcp_nodelay on;
  upstream behind { server 127.0.0.1:${upstreamPort}; keepalive 2048; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://behind;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;

/** Starts nginx as a proxy in front of the upstream on that port: what a proxy costs that is written in C and reads nothing. */
export async function startNginxProxy({ processes, tools, directory }: Bench, upstreamPort: number): Promise<Peer> {
  const port = await freePort();
  const place = join(directory, `nginx-proxy-${port}`);
  await mkdir(place);
  const file = join(place, 'nginx.conf');
  await writeFile(file, config(place, { port, upstreamPort }));
  const running = await processes.startListener(tools.nginx, port, { args: ['-p', place, '-c', file] });
  return createPeer('nginx as a proxy', running, { port });
}
