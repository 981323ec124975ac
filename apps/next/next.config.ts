import type { NextConfig } from 'next';

const config: NextConfig = {
  // Sigil's packages are links to folders of this repository; in a project of its own this line is not needed.
  turbopack: { root: new URL('../..', import.meta.url).pathname },
};

export default config;
