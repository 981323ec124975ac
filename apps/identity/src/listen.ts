import type Provider from 'oidc-provider';

/**
 * Makes a provider listen on this machine. If this fails, prints the reason, and ends the program with exit code 1.
 *
 * @param option the flag or variable that sets the port, such as `--port`. The error message contains it.
 */
export function listen(provider: Provider, port: number, option: string, listening: () => void): void {
  const server = provider.listen(port, '127.0.0.1', listening);
  server.once('error', (error: NodeJS.ErrnoException) => {
    const isTaken = error.code === 'EADDRINUSE';
    console.error(
      isTaken
        ? `Port ${port} is used by another program: end that program, or choose another port with ${option}`
        : `The authorization server cannot listen: ${error.message}`,
    );
    process.exit(1);
  });
}
