/** The part of `ws` that is used: framing without its sockets. Source: ws 8.23, lib/receiver.js and lib/sender.js. */
declare module 'ws' {
  import { type Duplex, Writable } from 'node:stream';

  interface ReceiverEvents {
    message: [data: Buffer, isBinary: boolean];
    ping: [data: Buffer];
    pong: [data: Buffer];
    conclude: [code: number, reason: Buffer];
    error: [error: Error & { readonly code?: string }];
  }

  export class Receiver extends Writable {
    constructor(options: {
      readonly isServer: boolean;
      readonly maxPayload: number;
      readonly maxFragments: number;
      readonly maxBufferedChunks: number;
    });
    override on<E extends keyof ReceiverEvents>(event: E, listener: (...args: ReceiverEvents[E]) => void): this;
    override on(event: string, listener: (...args: never[]) => void): this;
  }

  export class Sender {
    constructor(socket: Duplex);
    send(
      data: Buffer,
      options: { readonly binary: boolean; readonly fin: true; readonly mask: boolean; readonly compress: false },
      callback: () => void,
    ): void;
    ping(data: Buffer, mask: boolean): void;
    pong(data: Buffer, mask: boolean): void;
    close(code: number | undefined, reason: Buffer | undefined, mask: boolean): void;
  }
}
