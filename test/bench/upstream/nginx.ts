import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { chatAnswer } from '../load/chat-body.ts';
import { freePort } from '../ports.ts';
import type { Running } from '../processes.ts';

export interface Upstream extends Running {
  /** Answers POST /v1/chat/completions without waiting for the body. */
  readonly port: number;
  /** The same once the whole body has arrived. */
  readonly bodyPort: number;
  /** Takes everything, and answers with nothing: a database that costs this machine little. */
  readonly sinkPort: number;
}

/**
 * One worker, as the load generator and the peer need the other core. nginx answers `return` before it has read a body; the
 * other servers pass the body, once complete, to nowhere: the request to the first server goes without it.
 */
const config = (directory: string, { port, bodyPort, sinkPort }: Omit<Upstream, keyof Running>): string => `
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
  default_type application/json;
  upstream whole { server 127.0.0.1:${port}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /v1/chat/completions { return 200 '${chatAnswer()}'; }
    location = /nothing { return 200; }
  }
  server {
    listen 127.0.0.1:${bodyPort} backlog=4096;
    location / {
      proxy_pass http://whole;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Content-Length "";
      proxy_pass_request_body off;
    }
  }
  server {
    listen 127.0.0.1:${sinkPort} backlog=4096;
    location / {
      proxy_pass http://whole/nothing;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Content-Length "";
      proxy_pass_request_body off;
    }
  }
}
`;

/** Starts nginx with its files in the bench's directory. */
export async function startNginx({ processes, tools, directory }: Bench): Promise<Upstream> {
  const ports = { port: await freePort(), bodyPort: await freePort(), sinkPort: await freePort() };
  const file = join(directory, 'nginx.conf');
  await writeFile(file, config(directory, ports));
  const running = await processes.startListener(tools.nginx, ports.port, { args: ['-p', directory, '-c', file] });
  return { ...running, ...ports };
}
