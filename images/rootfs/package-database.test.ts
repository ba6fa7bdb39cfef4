import { expect, test } from 'vitest';
import { packageOf } from './debian.ts';
import { statusFiles } from './package-database.ts';

const CONTROL = `Package: libstdc++6
Source: gcc-12 (12.2.0-14)
Version: 12.2.0-14+deb12u1
Architecture: amd64
Maintainer: Debian GCC Maintainers <debian-gcc@lists.debian.org>
Depends: gcc-12-base (= 12.2.0-14), libc6 (>= 2.36)
Description: GNU Standard C++ Library v3
 This package contains an additional runtime library for C++ programs.

`;

test('a package is described by its control fields', () => {
  expect(packageOf(CONTROL, 'f'.repeat(64))).toEqual({
    name: 'libstdc++6',
    version: '12.2.0-14+deb12u1',
    architecture: 'amd64',
    sha256: 'f'.repeat(64),
    control: CONTROL.trim(),
  });
});

test('a package without a version is refused', () => {
  expect(() => packageOf('Package: a\nArchitecture: all\n', 'f'.repeat(64))).toThrow('version');
});

test('the package database has a file per package, with every control field and one line end', () => {
  const files = statusFiles([packageOf(CONTROL, 'f'.repeat(64))]);
  expect(files.filter(({ type }) => type === 'folder').map(({ path }) => path)).toEqual([
    'var/lib/dpkg/status.d',
    'var/lib/dpkg',
    'var/lib',
    'var',
  ]);
  expect(files.filter(({ type }) => type === 'file')).toEqual([
    {
      path: 'var/lib/dpkg/status.d/libstdc++6',
      type: 'file',
      mode: 0o644,
      content: Buffer.from(`${CONTROL.trim()}\n`),
    },
  ]);
});
