/** Clients and servers of `ws`. Source: ws 8.23, doc/ws.md. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage, Server } from 'node:http';
  import type { Duplex } from 'node:stream';

  interface SocketEvents {
    open: [];
    message: [data: Buffer, isBinary: boolean];
    close: [code: number, reason: Buffer];
    error: [error: Error];
    ping: [data: Buffer];
    pong: [data: Buffer];
    'unexpected-response': [request: unknown, response: IncomingMessage];
  }

  export class WebSocket extends EventEmitter<SocketEvents> {
    constructor(
      url: string,
      protocols: readonly string[],
      options: {
        readonly headers?: Readonly<Record<string, string>>;
        readonly ca?: string;
        readonly perMessageDeflate?: boolean;
        readonly skipUTF8Validation?: boolean;
      },
    );
    readonly protocol: string;
    readonly readyState: number;
    readonly bufferedAmount: number;
    send(data: string | Buffer, callback?: (error?: Error) => void): void;
    ping(): void;
    pause(): void;
    resume(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
  }

  interface ServerEvents {
    connection: [socket: WebSocket, request: IncomingMessage];
  }

  export class WebSocketServer extends EventEmitter<ServerEvents> {
    constructor(options: {
      readonly server?: Server;
      readonly noServer?: boolean;
      readonly maxPayload?: number;
      readonly perMessageDeflate?: boolean;
      readonly handleProtocols?: (offered: Set<string>) => string | false;
    });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      callback: (socket: WebSocket, request: IncomingMessage) => void,
    ): void;
    close(): void;
  }
}
