import type { NextConfig } from 'next';

const config: NextConfig = {
  // The lock file of all packages is two folders above; in a project of its own this line is not needed.
  turbopack: { root: new URL('../..', import.meta.url).pathname },
};

export default config;
