"""Runs a command on a new pseudo-terminal and types keys at its prompts.

Arguments: the exchanges as JSON, [[text to wait for, keys to type], ..], then the command. The command inherits standard
output; the text of the terminal is written to standard error. Exits with the exit code of the command.
"""
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

exchanges, command = json.loads(sys.argv[1]), sys.argv[2:]
data = os.dup(1)
child, terminal = pty.fork()
if child == 0:
    os.dup2(data, 1)
    os.execvp(command[0], command)
os.close(data)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
drawn = b""
while True:
    if exchanges and exchanges[0][0].encode() in drawn:
        os.write(terminal, exchanges.pop(0)[1].encode())
        drawn = b""
    try:
        part = os.read(terminal, 65536) if select.select([terminal], [], [], 60)[0] else b""
    except OSError:
        break
    if part == b"":
        break
    drawn += part
    os.write(2, part)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
