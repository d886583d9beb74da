// calls.h: the system calls that the sandbox refuses. SPDX-License-Identifier: MIT
//
// CALL(kind, name) for each. Architectures lack some of them.
// clang-format off
#ifdef SYS_socketpair
CALL(COMMUNICATION, socketpair)
#endif
CALL(NETWORK, connect) CALL(NETWORK, bind) CALL(NETWORK, listen) CALL(NETWORK, accept)
CALL(NETWORK, accept4)
CALL(COMMUNICATION, shmget) CALL(COMMUNICATION, shmat) CALL(COMMUNICATION, shmctl)
CALL(COMMUNICATION, msgget) CALL(COMMUNICATION, msgsnd) CALL(COMMUNICATION, msgrcv)
CALL(COMMUNICATION, msgctl) CALL(COMMUNICATION, semget) CALL(COMMUNICATION, semctl)
CALL(COMMUNICATION, semop) CALL(COMMUNICATION, semtimedop) CALL(COMMUNICATION, mq_open) CALL(COMMUNICATION, mq_unlink)
#ifdef SYS_fork
CALL(PROCESS, fork) CALL(PROCESS, vfork)
#endif
CALL(PROCESS, execve) CALL(PROCESS, execveat)
CALL(INSPECTION, ptrace) CALL(INSPECTION, process_vm_readv) CALL(INSPECTION, process_vm_writev)
CALL(INSPECTION, kcmp) CALL(INSPECTION, pidfd_open) CALL(INSPECTION, pidfd_getfd)
CALL(INSPECTION, process_madvise) CALL(INSPECTION, migrate_pages) CALL(INSPECTION, move_pages)
#ifdef SYS_process_mrelease
CALL(INSPECTION, process_mrelease)
#endif
CALL(SIGNAL, tkill) CALL(SIGNAL, pidfd_send_signal) CALL(SIGNAL, setpgid) CALL(SIGNAL, setsid)
CALL(SYSTEM, mount) CALL(SYSTEM, umount2) CALL(SYSTEM, pivot_root) CALL(SYSTEM, chroot)
CALL(SYSTEM, move_mount) CALL(SYSTEM, open_tree) CALL(SYSTEM, fsopen) CALL(SYSTEM, fsconfig)
CALL(SYSTEM, fsmount) CALL(SYSTEM, fspick)
#ifdef SYS_mount_setattr
CALL(SYSTEM, mount_setattr)
#endif
#ifdef SYS_quotactl_fd
CALL(SYSTEM, quotactl_fd)
#endif
CALL(SYSTEM, setns) CALL(SYSTEM, bpf) CALL(SYSTEM, perf_event_open)
CALL(SYSTEM, add_key) CALL(SYSTEM, request_key) CALL(SYSTEM, keyctl)
CALL(SYSTEM, io_uring_setup) CALL(SYSTEM, io_uring_enter) CALL(SYSTEM, io_uring_register)
CALL(SYSTEM, userfaultfd) CALL(SYSTEM, init_module) CALL(SYSTEM, finit_module)
CALL(SYSTEM, delete_module) CALL(SYSTEM, kexec_load)
#ifdef SYS_kexec_file_load
CALL(SYSTEM, kexec_file_load)
#endif
CALL(SYSTEM, reboot) CALL(SYSTEM, swapon) CALL(SYSTEM, swapoff) CALL(SYSTEM, acct)
CALL(SYSTEM, quotactl) CALL(SYSTEM, syslog) CALL(SYSTEM, vhangup) CALL(SYSTEM, sethostname)
CALL(SYSTEM, setdomainname) CALL(SYSTEM, settimeofday) CALL(SYSTEM, clock_settime)
CALL(SYSTEM, adjtimex) CALL(SYSTEM, clock_adjtime) CALL(SYSTEM, fanotify_init)
CALL(SYSTEM, fanotify_mark)
#ifdef SYS_iopl
CALL(SYSTEM, iopl) CALL(SYSTEM, ioperm)
#endif
CALL(READ, inotify_add_watch) CALL(READ, name_to_handle_at) CALL(READ, open_by_handle_at)
CALL(WRITE, truncate) CALL(WRITE, fchmodat) CALL(WRITE, fchownat) CALL(WRITE, setxattr)
CALL(WRITE, lsetxattr) CALL(WRITE, removexattr) CALL(WRITE, lremovexattr)
#ifdef SYS_chmod
CALL(WRITE, chmod) CALL(WRITE, chown) CALL(WRITE, lchown) CALL(WRITE, utime) CALL(WRITE, utimes)
CALL(WRITE, futimesat)
#endif
// clang-format on
