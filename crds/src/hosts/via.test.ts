import { expect, test } from 'vitest';
import { gatewayPseudonym, gatewaysOf, toVia } from './via.ts';

test.for([
  { via: undefined, want: [] },
  { via: '1.1 nginx, 2 edge.example:8080 (a, b)', want: [] },
  { via: '1.1 gatehouse-f1', want: ['gatehouse-f1'] },
  { via: 'HTTP/1.1 gatehouse-f1 (comment), 1.0 proxy,2.0   gatehouse-f.2', want: ['gatehouse-f1', 'gatehouse-f.2'] },
  { via: ['1.1 gatehouse-a', '1.1 gatehouse-b'], want: ['gatehouse-a', 'gatehouse-b'] },
  { via: '1.1 not-gatehouse-f1, gatehouse-f2', want: [] },
])('the gateways of $via are $want', ({ via, want }) => {
  expect(gatewaysOf(via)).toEqual(want);
});

test('what is written is read again, whatever the id', () => {
  const names = ['f1', '0b1c-22', 'a b,c/d\r\nü'].map(gatewayPseudonym);
  expect(names[2]).toBe('gatehouse-a-b-c-d---');
  expect(gatewaysOf(toVia(names))).toEqual(names);
});
