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

/* The server checks rights by the ids of the caller. */
static void as_caller(void)
{
    const struct fuse_context *caller = fuse_get_context();
    nfs_set_uid(server, caller->uid);
    nfs_set_gid(server, caller->gid);
}

static struct nfsfh *handle_of(const struct fuse_file_info *file)
{
    return file ? (struct nfsfh *)(uintptr_t)file->fh : NULL;
}

static int file_status(const char *path, struct nfs_stat_64 *found, struct fuse_file_info *file)
{
    as_caller();
    return handle_of(file) ? nfs_fstat64(server, handle_of(file), found) : nfs_lstat64(server, path, found);
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
    as_caller();
    int result = nfs_readlink(server, path, buffer, size);
    return result < 0 ? result : 0;
}

static int do_mkdir(const char *path, mode_t mode)
{
    as_caller();
    int result = nfs_mkdir(server, path);
    return result < 0 ? result : nfs_chmod(server, path, mode & 07777);
}

static int do_unlink(const char *path) { as_caller(); return nfs_unlink(server, path); }
static int do_rmdir(const char *path) { as_caller(); return nfs_rmdir(server, path); }
static int do_symlink(const char *target, const char *path) { as_caller(); return nfs_symlink(server, target, path); }
static int do_link(const char *from, const char *to) { as_caller(); return nfs_link(server, from, to); }
static int do_mknod(const char *path, mode_t mode, dev_t device) { as_caller(); return nfs_mknod(server, path, mode, device); }
static int do_statfs(const char *path, struct statvfs *answer) { as_caller(); return nfs_statvfs(server, path, answer); }

static int do_rename(const char *from, const char *to, unsigned int flags)
{
    as_caller();
    return flags ? -EINVAL : nfs_rename(server, from, to);
}

static int do_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
    (void)file;
    as_caller();
    return nfs_chmod(server, path, mode & 07777);
}

static int do_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *file)
{
    struct nfs_stat_64 found;
    int result = file_status(path, &found, file);
    if (result < 0)
        return result;
    return nfs_lchown(server, path, uid == (uid_t)-1 ? (int)found.nfs_uid : (int)uid,
                      gid == (gid_t)-1 ? (int)found.nfs_gid : (int)gid);
}

static int do_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
    as_caller();
    return handle_of(file) ? nfs_ftruncate(server, handle_of(file), size) : nfs_truncate(server, path, size);
}

static int do_open(const char *path, struct fuse_file_info *file)
{
    struct nfsfh *handle;
    as_caller();
    int result = nfs_open(server, path, (file->flags & (O_ACCMODE | O_TRUNC)) | stable, &handle);
    if (result < 0)
        return result;
    file->fh = (uintptr_t)handle;
    return 0;
}

static int do_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
    struct nfsfh *handle;
    as_caller();
    int result = nfs_create(server, path, stable, mode & 07777, &handle);
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
        int result = nfs_pread(server, handle_of(file), offset + done, size - done, buffer + done);
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
        int result = nfs_pwrite(server, handle_of(file), offset + done, size - done, (void *)(buffer + done));
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
    return nfs_fsync(server, handle_of(file));
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
    return nfs_lutimes(server, path, times);
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *file,
                      enum fuse_readdir_flags flags)
{
    (void)offset;
    (void)file;
    (void)flags;
    struct nfsdir *folder;
    struct nfsdirent *entry;
    as_caller();
    int result = nfs_opendir(server, path, &folder);
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
    char host[256], settings[2048];
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
    int is_version_4 = strstr(options, "vers=4") != NULL;
    server = nfs_init_context();
    nfs_set_version(server, is_version_4 ? 4 : 3);
    nfs_set_timeout(server, 10000);
    int is_soft = has_option(options, "soft");
    /* It holds from the end of nfs_mount on: libnfs ignores what is set later. */
    nfs_set_autoreconnect(server, is_soft ? 1 : -1);
    nfs_set_uid(server, getuid());
    nfs_set_gid(server, getgid());
    if (nfs_mount(server, host, path + 1)) {
        fprintf(stderr, "mount.nfs: %s: %s\n", source, nfs_get_error(server));
        return 32;
    }
    nfs_set_timeout(server, is_soft ? 10000 : -1);
    leave_cgroups();
    snprintf(settings, sizeof settings, "allow_other,default_permissions,fsname=%s,subtype=nfs%s", source,
             has_option(options, "ro") ? ",ro" : "");
    char *arguments[] = { "mount.nfs", "-s", "-o", settings, (char *)folder, NULL };
    return fuse_main(5, arguments, &operations, NULL);
}
