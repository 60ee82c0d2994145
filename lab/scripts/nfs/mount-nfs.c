/*
 * mount.nfs for nodes whose kernel has no NFS client: FUSE over libnfs. It takes the arguments of the real mount.nfs and knows the options ro, soft,
 * hard and nfsvers (4, otherwise 3). Requests run one after another. Locks are local to the node. libnfs 4.0 fails for large writes over version 4.
 *
 * gcc -O2 -o mount.nfs mount-nfs.c $(pkg-config --cflags --libs fuse3 libnfs)
 */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <nfsc/libnfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

static struct nfs_context *server;

/*
 * Each write is on the server's disk when it returns. libnfs does not compare the verifiers of its writes with that of the commit: a server that has lost
 * its power in between would commit what it no longer has.
 */
static const int stable = O_SYNC;

static char host[256];
static const char *exported;
static int is_version_4, is_soft;

/* The server checks rights by the ids of the caller. */
static void as_caller(void)
{
    const struct fuse_context *caller = fuse_get_context();
    nfs_set_uid(server, caller->uid);
    nfs_set_gid(server, caller->gid);
}

/* NULL: the server does not answer, and `why` says more. */
static struct nfs_context *connected(char *why, size_t size)
{
    struct nfs_context *made = nfs_init_context();
    nfs_set_version(made, is_version_4 ? 4 : 3);
    nfs_set_timeout(made, 10000);
    nfs_set_autoreconnect(made, 0);
    nfs_set_uid(made, getuid());
    nfs_set_gid(made, getgid());
    if (!nfs_mount(made, host, exported))
        return made;
    snprintf(why, size, "%s", nfs_get_error(made));
    nfs_destroy_context(made);
    return NULL;
}

/*
 * Whether a call is to be made again. libnfs tells a lost connection by one of these errors; its own way to connect again sometimes fails or waits for ever.
 * `hard` waits for the server as long as it takes. What fails on fresh connections, too, is the server's answer.
 */
static int connect_again(int result, int *tries)
{
    char why[256];
    int is_lost = result == -EIO || result == -EFAULT || result == -EINTR || result == -ETIMEDOUT || result == -EPIPE;
    /* EINTR: no answer in time */
    if (!is_lost || is_soft || (result != -EINTR && ++*tries > 5))
        return 0;
    nfs_destroy_context(server);
    while (!(server = connected(why, sizeof why)))
        usleep(200000);
    return 1;
}

/* The first call may have been carried out, and its answer lost: then the second one says `done`. */
#define ONCE(call, done) ({ int was, count = 0; do { as_caller(); was = (call); } while (was < 0 && connect_again(was, &count)); \
                            count > 0 && was == -(done) ? 0 : was; })
#define AGAIN(call) ONCE(call, 0)

static struct nfsfh *handle_of(const struct fuse_file_info *file)
{
    return file ? (struct nfsfh *)(uintptr_t)file->fh : NULL;
}

static int file_status(const char *path, struct nfs_stat_64 *found, struct fuse_file_info *file)
{
    return AGAIN(handle_of(file) ? nfs_fstat64(server, handle_of(file), found) : nfs_lstat64(server, path, found));
}

static int do_getattr(const char *path, struct stat *answer, struct fuse_file_info *file)
{
    struct nfs_stat_64 found;
    int result = file_status(path, &found, file);
    if (result < 0)
        return result;
    memset(answer, 0, sizeof *answer);
    answer->st_dev = found.nfs_dev;
    answer->st_ino = found.nfs_ino;
    answer->st_mode = found.nfs_mode;
    answer->st_nlink = found.nfs_nlink;
    answer->st_uid = found.nfs_uid;
    answer->st_gid = found.nfs_gid;
    answer->st_rdev = found.nfs_rdev;
    answer->st_size = found.nfs_size;
    answer->st_blksize = found.nfs_blksize;
    answer->st_blocks = found.nfs_blocks;
    answer->st_atim.tv_sec = found.nfs_atime;
    answer->st_mtim.tv_sec = found.nfs_mtime;
    answer->st_ctim.tv_sec = found.nfs_ctime;
    answer->st_mtim.tv_nsec = found.nfs_mtime_nsec;
    return 0;
}

static int do_readlink(const char *path, char *buffer, size_t size)
{
    int result = AGAIN(nfs_readlink(server, path, buffer, size));
    return result < 0 ? result : 0;
}

static int do_mkdir(const char *path, mode_t mode)
{
    int result = ONCE(nfs_mkdir(server, path), EEXIST);
    return result < 0 ? result : AGAIN(nfs_chmod(server, path, mode & 07777));
}

static int do_unlink(const char *path) { return ONCE(nfs_unlink(server, path), ENOENT); }
static int do_rmdir(const char *path) { return ONCE(nfs_rmdir(server, path), ENOENT); }
static int do_symlink(const char *target, const char *path) { return ONCE(nfs_symlink(server, target, path), EEXIST); }
static int do_link(const char *from, const char *to) { return ONCE(nfs_link(server, from, to), EEXIST); }
static int do_mknod(const char *path, mode_t mode, dev_t device) { return ONCE(nfs_mknod(server, path, mode, device), EEXIST); }
static int do_statfs(const char *path, struct statvfs *answer) { return AGAIN(nfs_statvfs(server, path, answer)); }

static int do_rename(const char *from, const char *to, unsigned int flags)
{
    return flags ? -EINVAL : ONCE(nfs_rename(server, from, to), ENOENT);
}

static int do_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
    (void)file;
    return AGAIN(nfs_chmod(server, path, mode & 07777));
}

static int do_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *file)
{
    struct nfs_stat_64 found;
    int result = file_status(path, &found, file);
    if (result < 0)
        return result;
    return AGAIN(nfs_lchown(server, path, uid == (uid_t)-1 ? (int)found.nfs_uid : (int)uid,
                            gid == (gid_t)-1 ? (int)found.nfs_gid : (int)gid));
}

static int do_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
    return AGAIN(handle_of(file) ? nfs_ftruncate(server, handle_of(file), size) : nfs_truncate(server, path, size));
}

static int do_open(const char *path, struct fuse_file_info *file)
{
    struct nfsfh *handle;
    int result = AGAIN(nfs_open(server, path, (file->flags & (O_ACCMODE | O_TRUNC)) | stable, &handle));
    if (result < 0)
        return result;
    file->fh = (uintptr_t)handle;
    return 0;
}

static int do_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
    struct nfsfh *handle;
    int result = AGAIN(nfs_create(server, path, stable, mode & 07777, &handle));
    if (result < 0)
        return result;
    file->fh = (uintptr_t)handle;
    return 0;
}

static int do_read(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *file)
{
    (void)path;
    size_t done = 0;
    while (done < size) {
        int result = AGAIN(nfs_pread(server, handle_of(file), offset + done, size - done, buffer + done));
        if (result < 0)
            return result;
        if (result == 0)
            break;
        done += result;
    }
    return done;
}

static int do_write(const char *path, const char *buffer, size_t size, off_t offset, struct fuse_file_info *file)
{
    (void)path;
    size_t done = 0;
    while (done < size) {
        int result = AGAIN(nfs_pwrite(server, handle_of(file), offset + done, size - done, (void *)(buffer + done)));
        if (result < 0)
            return result;
        done += result;
    }
    return done;
}

static int do_release(const char *path, struct fuse_file_info *file)
{
    (void)path;
    nfs_close(server, handle_of(file));
    return 0;
}

static int do_fsync(const char *path, int only_data, struct fuse_file_info *file)
{
    (void)path;
    (void)only_data;
    return AGAIN(nfs_fsync(server, handle_of(file)));
}

static struct timeval time_of(struct timespec wanted, uint64_t seconds, uint64_t nanoseconds)
{
    struct timeval now;
    if (wanted.tv_nsec == UTIME_OMIT)
        return (struct timeval){ seconds, nanoseconds / 1000 };
    if (wanted.tv_nsec != UTIME_NOW)
        return (struct timeval){ wanted.tv_sec, wanted.tv_nsec / 1000 };
    gettimeofday(&now, NULL);
    return now;
}

static int do_utimens(const char *path, const struct timespec wanted[2], struct fuse_file_info *file)
{
    struct nfs_stat_64 found;
    int result = file_status(path, &found, file);
    if (result < 0)
        return result;
    struct timeval times[2] = {
        time_of(wanted[0], found.nfs_atime, found.nfs_atime_nsec),
        time_of(wanted[1], found.nfs_mtime, found.nfs_mtime_nsec),
    };
    return AGAIN(nfs_lutimes(server, path, times));
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *file,
                      enum fuse_readdir_flags flags)
{
    (void)offset;
    (void)file;
    (void)flags;
    struct nfsdir *folder;
    struct nfsdirent *entry;
    int result = AGAIN(nfs_opendir(server, path, &folder));
    if (result < 0)
        return result;
    while ((entry = nfs_readdir(server, folder)))
        fill(buffer, entry->name, NULL, 0, 0);
    nfs_closedir(server, folder);
    return 0;
}

static const struct fuse_operations operations = {
    .getattr = do_getattr, .readlink = do_readlink, .mkdir = do_mkdir, .unlink = do_unlink, .rmdir = do_rmdir,
    .symlink = do_symlink, .rename = do_rename, .link = do_link, .chmod = do_chmod, .chown = do_chown,
    .truncate = do_truncate, .open = do_open, .create = do_create, .mknod = do_mknod, .read = do_read,
    .write = do_write, .release = do_release, .fsync = do_fsync, .statfs = do_statfs, .utimens = do_utimens,
    .readdir = do_readdir,
};

/* A kernel's mount outlives the service that made it. systemd ends all processes of a service, so this one leaves the cgroups of its caller. */
static void leave_cgroups(void)
{
    const char *roots[] = { "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
    char path[128];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/nfv-lab-mounts", roots[i]);
        mkdir(path, 0755);
        snprintf(path, sizeof path, "%s/nfv-lab-mounts/cgroup.procs", roots[i]);
        int file = open(path, O_WRONLY);
        if (file < 0)
            continue;
        if (write(file, "0", 1) < 0)
            perror(path);
        close(file);
    }
}

static int has_option(const char *options, const char *name)
{
    char *copy = strdup(options), *rest = copy, *each;
    int found = 0;
    while ((each = strsep(&rest, ",")))
        found |= !strcmp(each, name);
    free(copy);
    return found;
}

int main(int count, char **words)
{
    const char *source = NULL, *folder = NULL, *options = "";
    char settings[2048], why[256];
    for (int i = 1; i < count; i++) {
        if (!strcmp(words[i], "-o") && i + 1 < count)
            options = words[++i];
        else if (words[i][0] == '-')
            continue;
        else if (!source)
            source = words[i];
        else
            folder = words[i];
    }
    const char *path = source ? strstr(source, ":/") : NULL;
    if (!path || !folder) {
        fprintf(stderr, "usage: mount.nfs HOST:/PATH FOLDER [-o OPTIONS]\n");
        return 1;
    }
    snprintf(host, sizeof host, "%.*s", (int)(path - source), source);
    is_version_4 = strstr(options, "vers=4") != NULL;
    is_soft = has_option(options, "soft");
    exported = path + 1;
    if (!(server = connected(why, sizeof why))) {
        fprintf(stderr, "mount.nfs: %s: %s\n", source, why);
        return 32;
    }
    leave_cgroups();
    snprintf(settings, sizeof settings, "allow_other,default_permissions,fsname=%s,subtype=nfs%s", source,
             has_option(options, "ro") ? ",ro" : "");
    char *arguments[] = { "mount.nfs", "-s", "-o", settings, (char *)folder, NULL };
    return fuse_main(5, arguments, &operations, NULL);
}
