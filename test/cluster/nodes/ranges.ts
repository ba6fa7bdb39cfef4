/** The addresses of one cluster with nodes: a slot of its own, so that several run at once. */
export interface Ranges {
  /** Of the machine, as nodes and pods see it: servers of the test process listen there. */
  readonly host: string;
  readonly nodes: { readonly cidr: string; readonly address: (node: number) => string };
  readonly pods: { readonly cidr: string; readonly ofNode: (node: number) => string };
  readonly services: { readonly cidr: string; readonly first: string };
  /** The machine's end of the link, at most 15 bytes. */
  readonly link: string;
}

/** As many clusters with nodes may run on one machine. */
export const SLOTS = 16;

/** Pods 10.96.0.0/16, Services 10.97.0.0/16, nodes 10.98.0.0/16; each slot has a sixteenth of the first two. */
export function rangesOf(slot: number): Ranges {
  const nodes = `10.98.${slot}`;
  const third = slot * (256 / SLOTS); // also the limit of nodes: one /24 of pods each
  return {
    host: `${nodes}.1`,
    nodes: { cidr: `${nodes}.0/24`, address: (node) => `${nodes}.${node + 1}` },
    pods: { cidr: `10.96.${third}.0/20`, ofNode: (node) => `10.96.${third + node}.0/24` },
    services: { cidr: `10.97.${third}.0/20`, first: `10.97.${third}.1` },
    link: `ghtest${slot}`,
  };
}

/** Whether two IPv4 CIDRs share an address. */
export function overlap(a: string, b: string): boolean {
  const [x, y] = [parseCidr(a), parseCidr(b)];
  const shift = 32n - BigInt(Math.min(x.bits, y.bits));
  return x.address >> shift === y.address >> shift;
}

function parseCidr(cidr: string): { readonly address: bigint; readonly bits: number } {
  const [address = '', bits = '32'] = cidr.split('/');
  return {
    address: address.split('.').reduce((total, byte) => total * 256n + BigInt(byte), 0n),
    bits: Number(bits),
  };
}
